/** A loopback proxy that counts what a server asks its Ethereum node, and forwards it unchanged. */

export interface NodeUse {
  /** HTTP requests. */
  readonly posts: number
  /** JSON-RPC requests in them: a post carries one, or a batch. */
  readonly questions: number
}

export interface CountingProxy {
  readonly url: string
  /** Since the start. */
  used(): NodeUse
  stop(): Promise<void>
}

export function startCountingProxy(target: string): CountingProxy {
  let posts = 0
  let questions = 0
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch: async (request) => {
      const body = await request.text()
      const parsed: unknown = JSON.parse(body)
      posts++
      questions += Array.isArray(parsed) ? parsed.length : 1
      const answer = await fetch(target, { method: "POST", body, headers: { "content-type": "application/json" } })
      return new Response(await answer.text(), {
        status: answer.status,
        headers: { "content-type": "application/json" },
      })
    },
  })
  return {
    url: `http://127.0.0.1:${server.port}`,
    used: () => ({ posts, questions }),
    stop: () => server.stop(true),
  }
}
