"""Colours and axes of every chart, by name, so that one drawing serves light, dark and paper."""

# Okabe and Ito, Color Universal Design (2008): distinguishable with every kind of colour vision; --ink, --soft, --paper belong to the page
PALETTE = {
    "--before": "#737b86",
    "--after": "#0072b2",
    "--worse": "#d55e00",
    "--better": "#009e73",
    "--second": "#cc79a7",
    "--ink": "#1f2933",
    "--soft": "#8a94a0",
    "--line": "#dfe3e8",
    "--paper": "#ffffff",
}
HEIGHT = 220  # px
MANY = 45  # windows: dots are smaller beyond
VERDICTS = {"fail": "var(--worse)", "warn": "var(--second)", "improved": "var(--better)"}
CONFIG = {
    "background": "transparent",
    "font": "system-ui, sans-serif",
    "view": {"stroke": None},
    "axis": {
        "labelColor": "var(--ink)",
        "titleColor": "var(--ink)",
        "gridColor": "var(--line)",
        "domainColor": "var(--soft)",
        "tickColor": "var(--soft)",
        "labelFontSize": 12,
        "titleFontSize": 12,
        "titleFontWeight": "normal",
    },
    "legend": {"labelColor": "var(--ink)", "titleColor": "var(--ink)", "orient": "top", "labelFontSize": 12, "title": None},
}
