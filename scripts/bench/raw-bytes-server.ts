/**
 * The baseline of the MCP rows: a Bun server that reads and parses the body of a POST and answers prepared bytes. The argument is a JSON file
 * that maps a path to its answer. Runs until it is killed.
 */
import { readFileSync } from "node:fs"

const [file = ""] = process.argv.slice(2)
const answers = new Map(Object.entries(JSON.parse(readFileSync(file, "utf8")) as Record<string, string>))
const headers = { "content-type": "application/json" }

const server = Bun.serve({
  hostname: "127.0.0.1",
  port: 0,
  development: false,
  fetch: async (request) => {
    if (request.method === "POST") await request.json()
    const { pathname } = new URL(request.url)
    return new Response(answers.get(pathname) ?? null, { headers })
  },
})
console.log(`listening http://127.0.0.1:${server.port}`)
