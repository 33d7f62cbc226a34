"""Speed beside other programs: a table of cases, a table of peers, one run, agreement checked first."""
