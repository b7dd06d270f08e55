import os

ORDER = {"de": "{d:02}.{m:02}.{y}", "C": "{y}-{m:02}-{d:02}"}


def written(y, m, d):
    """A date as the user's locale writes it."""
    language = os.environ.get("LC_ALL", "C").split(".")[0].split("_")[0]
    return ORDER.get(language, ORDER["C"]).format(y=y, m=m, d=d)
