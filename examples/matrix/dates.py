import os

ORDER = {"de": "{d:02}.{m:02}.{y}", "en": "{y}-{m:02}-{d:02}"}


def written(y, m, d):
    """A date as the shop's language writes it."""
    return ORDER[os.environ.get("SHOP_LANGUAGE", "en")].format(y=y, m=m, d=d)
