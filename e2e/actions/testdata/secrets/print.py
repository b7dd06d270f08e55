import base64
import json
import os
import urllib.parse

for name, secret in ("the token", os.environ["DEPLOY_TOKEN"]), ("the mask", "masked-only-" + "while-it-ran"):
    raw = secret.encode()
    forms = [secret, base64.b64encode(raw).decode(), raw.hex(), urllib.parse.quote_plus(secret), json.dumps(secret)]
    for line, form in enumerate(forms, 1):
        print(f"deploy.c:{line}:1: error: connection with {form} refused")
    print(len(forms), "encodings of", name)
