/** Everything that one run measures: servers on one core, and on the other one their chains and this process, which is the client. */
import { mkdirSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { startChain } from "../../test/fixtures/chain.ts"
import { type MeasuredSystem, openMeasuredSystem } from "./measured-system.ts"
import { pinSelf, type Server, startServer } from "./processes.ts"

interface Servers {
  /** Of this run; removed at its end. */
  readonly folder: string
  /** One for each binary, with its own data and chain. */
  readonly systems: readonly MeasuredSystem[]
  readonly raw: Server
}

export async function withServers<T>(
  binaries: readonly string[],
  measure: (servers: Servers) => Promise<T>,
): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), "bizauth-bench-"))
  const closing: (() => Promise<void>)[] = []
  try {
    pinSelf("client")
    const systems: MeasuredSystem[] = []
    for (const [at, binary] of binaries.entries()) {
      // Under later rules each block adds to the state, which anvil hashes for each block: after a thousand sales the chain would be the limit.
      const chain = await startChain({ hardfork: "cancun" })
      closing.push(() => chain.stop())
      const own = join(folder, `system-${at}`)
      mkdirSync(own)
      const system = await openMeasuredSystem(binary, own, chain)
      closing.push(() => system.server.stop())
      systems.push(system)
    }
    const raw = await startServer(
      [process.execPath, join(import.meta.dir, "raw-server.ts"), join(folder, "raw.db")],
      join(folder, "raw.log"),
    )
    closing.push(() => raw.stop())
    return await measure({ folder, systems, raw })
  } finally {
    for (const close of closing.reverse()) await close()
    pinSelf("all")
    rmSync(folder, { recursive: true, force: true })
  }
}
