def total(prices, discount=0):
    """The sum of prices, less a discount in percent."""
    return round(sum(prices) * (100 - discount) / 100, 2)
