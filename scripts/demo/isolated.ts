import { mkdirSync } from "node:fs"
import { expectSame } from "./story.ts"

interface Isolation {
  /** Arguments placed before a command. */
  readonly prefix: readonly string[]
  readonly said: string
}

const NAMESPACES = [
  { prefix: ["unshare", "-n", "--"], said: "in a network namespace with no interface up (unshare -n)" },
  { prefix: ["unshare", "-rn", "--"], said: "in a user and network namespace with no interface up (unshare -rn)" },
]

/** Returns how to run a command without any network, or a note that the system does not allow it. */
export function networkIsolation(): Isolation {
  const works = NAMESPACES.find(({ prefix }) => {
    try {
      return Bun.spawnSync([...prefix, "true"], { stdout: "ignore", stderr: "ignore" }).exitCode === 0
    } catch {
      return false
    }
  })
  return (
    works ?? {
      prefix: [],
      said: "in an ordinary process: this system allows no network namespace here; verify and replay have no network module in their import graph",
    }
  )
}

export interface OfflineProgram {
  /** Runs the program in `folder`, without environment and network. It must exit with 0. Returns its output. */
  run(args: readonly string[]): string
  /** How the program was isolated from the network. */
  readonly said: string
}

export function offlineProgram(binary: string, folder: string): OfflineProgram {
  const { prefix, said } = networkIsolation()
  mkdirSync(folder, { recursive: true })
  return {
    said,
    run: (args) => {
      const ran = Bun.spawnSync([...prefix, binary, ...args], { cwd: folder, env: {}, stdout: "pipe", stderr: "pipe" })
      expectSame(`the exit code of ${args[0]} (${ran.stderr.toString() || ran.stdout.toString()})`, ran.exitCode, 0)
      return ran.stdout.toString()
    },
  }
}
