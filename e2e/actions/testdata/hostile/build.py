import sys

HOSTILE = [
    "@everyone look at https://evil.example/ and #1",
    "![x](https://evil.example/x.png) [click](https://evil.example/)",
    "<img src=https://evil.example/x.png onerror=alert(1)><script>alert(1)</script>",
    "</details></code></pre><h1>approved</h1> <!-- blq:report -->",
    "``` ~~~ `code` | a | b |\u202e\u0007",
]
for n in range(150_000):
    print(f"compiling file{n}.c @everyone <b>{n}</b>")
    if n % 5000 == 0:
        text = HOSTILE[n // 5000 % len(HOSTILE)]
        print(f"src/file{n}.c:{n + 1}:1: error: {text}")
    else:
        print("cc -O2 -c", n)
sys.exit(1)
