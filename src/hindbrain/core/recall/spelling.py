"""placeholder until merged"""

SHORTEST = 4


def meant(word, known):
    return None
