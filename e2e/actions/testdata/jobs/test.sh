echo "ok  example.com/shop 0.1s"
