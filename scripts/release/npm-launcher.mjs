#!/usr/bin/env node
// Starts the program of this machine, which npm installed as an optional dependency, and ends as it ends.
import { spawn } from "node:child_process"
import { createRequire } from "node:module"

const SYSTEMS = { linux: "linux", darwin: "macos" }
// Without it the report looks up the names of every open connection.
process.report.excludeNetwork = true
const isMusl = process.platform === "linux" && !process.report.getReport().header.glibcVersionRuntime
const target = `${SYSTEMS[process.platform] ?? process.platform}-${process.arch}${isMusl ? "-musl" : ""}`

function program() {
  try {
    return createRequire(import.meta.url).resolve(`@bizauth/${target}/bizauth`)
  } catch {
    console.error(
      `bizauth: the package @bizauth/${target} is not installed. Install bizauth again without --omit=optional; if there is no such package, take an archive of the release.`,
    )
    process.exit(1)
  }
}

// Before the program starts: a signal without a listener would end this process and leave the program running.
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP", "SIGUSR1"]) process.on(signal, () => child.kill(signal))
const child = spawn(program(), process.argv.slice(2), { stdio: "inherit" })
child.on("error", (error) => {
  console.error(`bizauth: ${error.message}`)
  process.exit(1)
})
child.on("exit", (code, signal) => {
  if (signal === null) process.exit(code)
  process.removeAllListeners(signal)
  process.kill(process.pid, signal)
})
