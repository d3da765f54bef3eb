"""A question answered by words, and by meaning as long as its encoder can be had."""

from runtime.errors import EncoderError
from runtime.store.connection import Reader
from runtime.store.search_hits import Hit, Question, find


async def answer(reader: Reader, question: Question) -> tuple[list[Hit], str]:
    """
    Return the hits, and why meaning had no say in them, "" where it had or nobody wants it.

    An extra that fails must not take the search with it.
    """
    try:
        return await reader.run(find, question), ""
    except EncoderError as error:
        return await reader.run(find, question._replace(meaning=None)), str(error)
