/**
 * A balancer without stickiness, for drills: each request goes to the next instance whose `/readyz` is 200. Run as a process of its own:
 *
 *   bun scripts/drill/balancer.ts PORT ORIGIN ORIGIN …
 *
 * It repeats no request: a buyer whose instance broke off gets 502 and repeats its request.
 */
const CHECK_EVERY_MS = 250
const CHECK_WITHIN_MS = 1_000
const [port, ...origins] = process.argv.slice(2)

const ready = new Set<string>()
let next = 0

async function check(origin: string): Promise<void> {
  const answer = await fetch(`${origin}/readyz`, { signal: AbortSignal.timeout(CHECK_WITHIN_MS) }).catch(() => null)
  await answer?.arrayBuffer().catch(() => null)
  if (answer?.status === 200) ready.add(origin)
  else ready.delete(origin)
}

async function checkForEver(origin: string): Promise<never> {
  for (;;) {
    await check(origin)
    await Bun.sleep(CHECK_EVERY_MS)
  }
}

function nextOrigin(): string | null {
  const able = origins.filter((origin) => ready.has(origin))
  return able[next++ % able.length] ?? null
}

await Promise.all(origins.map(check))
for (const origin of origins) void checkForEver(origin)

Bun.serve({
  hostname: "127.0.0.1",
  port: Number(port),
  idleTimeout: 60,
  async fetch(request) {
    const origin = nextOrigin()
    if (origin === null) return new Response("no instance is ready", { status: 503 })
    const { pathname, search } = new URL(request.url)
    const headers = new Headers(request.headers)
    headers.set("x-forwarded-for", "127.0.0.1")
    const body = request.body === null ? null : await request.arrayBuffer()
    try {
      const answer = await fetch(origin + pathname + search, {
        method: request.method,
        headers,
        body,
        redirect: "manual",
      })
      const bytes = await answer.arrayBuffer()
      const given = new Headers(answer.headers)
      // `fetch` has decoded the bytes.
      for (const name of ["content-encoding", "content-length", "transfer-encoding"]) given.delete(name)
      return new Response(bytes, { status: answer.status, headers: given })
    } catch {
      ready.delete(origin)
      return new Response("the instance broke off", { status: 502 })
    }
  },
})
process.stdout.write("balancing\n")

export {}
