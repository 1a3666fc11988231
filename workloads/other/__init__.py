"""Networks that the paper did not try: does the compiler batch models it was not made for?"""
