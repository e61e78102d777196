import { getLiveness } from "../../../schemas/discovery/health.ts"
import { UNIX } from "../../base/listen-address.ts"
import { networkCode } from "../../base/network-fault.ts"
import { VERIFIED_TLS } from "../../base/verified-tls.ts"
import { servingProcess } from "../running-settings.ts"
import { about, type Line } from "./line.ts"

/** Shorter than the limit of the health check of the container image. */
const ANSWER_MS = 5_000

const ASK_ITSELF: Readonly<Record<string, string>> = { "0.0.0.0": "127.0.0.1", "[::]": "[::1]" }

/** Asks the process that serves from the directory on this machine, at the address where it listens. Waits at most `answerMs`. */
export async function answeringLine(directory: string, answerMs = ANSWER_MS): Promise<Line> {
  const line = about(
    "machine",
    "answers",
    "a process that does not answer sells nothing, and nobody can recover an answer",
  )
  const serving = servingProcess(directory, {})
  if (serving === null) {
    return line.problem(
      `no process on this machine serves from ${directory}`,
      "start it with bizauth serve; if it ended by itself, its log says why",
    )
  }
  const { pid, origin } = serving
  const fault = await faultOf(origin, answerMs)
  if (fault === null) return line.ok(`process ${pid} answers at ${origin}`)
  return line.problem(
    `process ${pid} does not answer at ${origin}: ${fault}`,
    "read its log; then end it and start it again",
  )
}

/** Where to ask: a socket of this machine, which has no host of its own, or an address. `origin`: as the listener names it. */
function placeOf(origin: string): { readonly url: URL; readonly unix: { readonly unix?: string } } {
  if (origin.startsWith(UNIX)) {
    return { url: new URL(getLiveness.path, "http://localhost"), unix: { unix: origin.slice(UNIX.length) } }
  }
  const url = new URL(getLiveness.path, origin)
  url.hostname = ASK_ITSELF[url.hostname] ?? url.hostname
  return { url, unix: {} }
}

/** Null if the process answers. */
async function faultOf(origin: string, answerMs: number): Promise<string | null> {
  try {
    const signal = AbortSignal.timeout(answerMs)
    const { url, unix } = placeOf(origin)
    const response = await fetch(url, { signal, redirect: "error", tls: VERIFIED_TLS, ...unix })
    await response.body?.cancel()
    return response.status === 200 ? null : `HTTP ${response.status}`
  } catch (error) {
    const code = networkCode(error)
    if (code === null) throw error
    return code
  }
}
