"""Reading a list of findings."""


def level(rows, name):
    """Return the level of the one finding of that id."""
    return one(rows, name).finding.level


def one(rows, name):
    """Return the one row of that id."""
    found = [row for row in rows if row.finding.id == name]
    assert len(found) == 1, [row.finding for row in rows]
    return found[0]
