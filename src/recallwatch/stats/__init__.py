"""Closed-form statistics on arrays: no relation, no unit, no verdict. Windows (monitor) and variants both use them."""
