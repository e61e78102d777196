/** CHOICE: the publisher of a release is known by its key and not by an address, so this address takes no mail. */
export const PUBLISHER = "Publisher of bizauth <publisher@bizauth.invalid>"
