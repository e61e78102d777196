/** What a unit that only reads may not do, on every engine. */

export function requireRead({ isRead }: { readonly isRead: boolean }): void {
  if (!isRead) throw new TypeError("a read unit only reads")
}

export function holdsNoOrder(): never {
  throw new TypeError("a read unit holds no order")
}

export function takesNoLease(): never {
  throw new TypeError("a read unit takes no lease")
}
