const OPENED_MS = 10_000
const ASK_EVERY_MS = 10

/** Waits until a listening server has opened payments and checked the chain. The caller reads the result. */
export async function untilOpened(origin: string): Promise<void> {
  const until = performance.now() + OPENED_MS
  for (;;) {
    const answer = await fetch(`${origin}/readyz`)
    const { reason_codes: reasons = [] } = (await answer.json()) as { reason_codes?: readonly string[] }
    if (!reasons.includes("PAYMENTS_OPENING")) return
    if (performance.now() > until) throw new Error("payments were not opened in ten seconds")
    await Bun.sleep(ASK_EVERY_MS)
  }
}
