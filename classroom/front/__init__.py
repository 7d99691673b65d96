"""Front ends of the judge: pytest collects the tests of the homework, nbval compares its worksheets.

Both only ask and show: what a student wrote runs in the judge's worker, in the sandbox that this machine has, and
never in the process of pytest or in the kernel of a worksheet.
"""
