"""Networks that the paper did not try: does the compiler batch what it was not made for?"""
