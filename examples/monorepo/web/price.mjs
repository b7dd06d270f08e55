/** Reads an amount as cents. */
export const cents = (amount) => Math.round(Number(amount) * 100);
