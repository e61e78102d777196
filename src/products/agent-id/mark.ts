/**
 * The mark of Agent ID: two overlapping, different keys. The filled disc is the operational key in use; the ring is the recovery key in
 * storage. CHOICE: mark, image and palette. Ink and signal on paper pass WCAG AAA and AA for text; a test computes it.
 */
export const MARK_TEXT = "●○"

export const MARK_PALETTE = { ink: "#1B1F2A", signal: "#B3391B", paper: "#FAF7F1" } as const

export const MARK_SVG = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 64 64" role="img" aria-label="Agent ID"><rect width="64" height="64" rx="14" fill="${MARK_PALETTE.paper}"/><circle cx="39" cy="32" r="15" fill="none" stroke="${MARK_PALETTE.ink}" stroke-width="5"/><circle cx="25" cy="32" r="15" fill="${MARK_PALETTE.signal}"/><circle cx="25" cy="32" r="4.5" fill="${MARK_PALETTE.paper}"/></svg>
`
