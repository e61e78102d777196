export interface Isolation {
  /** Put before a command. */
  readonly prefix: readonly string[]
  readonly said: string
}

const NAMESPACES = [
  { prefix: ["unshare", "-n", "--"], said: "in a network namespace with no interface up (unshare -n)" },
  { prefix: ["unshare", "-rn", "--"], said: "in a user and network namespace with no interface up (unshare -rn)" },
]

/** How a command can be run here without any network, or an honest note that the system does not allow it. */
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
