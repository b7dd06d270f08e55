// Package api has the prices of the shop.
package api

import "fmt"

// Price writes cents as an amount.
func Price(cents int) string {
	return fmt.Sprintf("%d.%02d", cents/100, cents%100)
}
