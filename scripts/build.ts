/**
 * Compiles dist/bizauth, one file without other dependencies, and writes the npm package of the client module to dist/npm. The output name is
 * part of the bytes, so it is fixed. The same commit gives the same bytes in every folder.
 */
import { mkdirSync, readFileSync, statSync } from "node:fs"
import { join } from "node:path"
import { parseArgs } from "node:util"
import { publicText, readPublicKey } from "../src/release/minisign.ts"
import { indexSources } from "../src/sources/boards/program-digest.ts"
import { PARAMETER_DIGEST } from "../src/sources/screening/parameters.ts"
import { writeNpmPackage } from "./npm-package.ts"

const root = join(import.meta.dir, "..")
const { values: given } = parseArgs({
  options: {
    /** Folder of the file. */
    out: { type: "string", default: join(root, "dist") },
    /** Processor and system of the file; by default those of this machine. */
    target: { type: "string", default: `bun-${process.platform}-${process.arch}` },
    /** Bun for that target, whose format the target names; by default the one that runs this. */
    executable: { type: "string" },
    /** For a tree without git. */
    commit: { type: "string", default: commit() },
    /** File with the public key of releases. */
    "release-key": { type: "string" },
  },
})
const outfile = join(given.out, "bizauth")
const releaseKey = given["release-key"]

function commit(): string {
  const head = Bun.spawnSync(["git", "rev-parse", "--short=12", "HEAD"], {
    cwd: root,
    stdout: "pipe",
    stderr: "ignore",
  })
  return head.exitCode === 0 ? head.stdout.toString().trim() : "unknown"
}

/** Throws for a file that is no public key of minisign. */
function releaseKeyFlag(path: string): string {
  return `--define=BUILD_RELEASE_KEY=${JSON.stringify(publicText(readPublicKey(readFileSync(path, "utf8"))))}`
}

mkdirSync(given.out, { recursive: true })
const build = Bun.spawnSync(
  [
    process.execPath,
    "build",
    "--compile",
    "--bytecode",
    "--format=esm",
    // A command loads only its part of the program, and unused exports of packages are omitted: saves 8 ms of every start.
    "--splitting",
    // Not --minify: renamed identifiers break Elysia's parsing of handler sources, and only in the binary.
    "--minify-syntax",
    "--minify-whitespace",
    "--sourcemap=none",
    // Without these two flags the binary runs `preload` of a bunfig.toml and loads a .env from its current directory.
    "--no-compile-autoload-dotenv",
    "--no-compile-autoload-bunfig",
    `--define=BUILD_COMMIT=${JSON.stringify(given.commit)}`,
    `--define=BUILD_TARGET=${JSON.stringify(given.target)}`,
    `--define=BUILD_INDEX_SOURCES=${JSON.stringify(indexSources(join(root, "src", "sources")))}`,
    `--define=BUILD_PARAMETER_DIGEST=${JSON.stringify(PARAMETER_DIGEST)}`,
    ...(releaseKey === undefined ? [] : [releaseKeyFlag(releaseKey)]),
    ...(given.executable === undefined
      ? []
      : [`--target=${given.target}`, `--compile-executable-path=${given.executable}`]),
    `--outfile=${outfile}`,
    "src/main.ts",
    // The thread that builds an index: a worker needs its own entry point.
    "src/sources/boards/index-thread.ts",
    // The thread that reads the kept bytes of a register again.
    "src/sources/import/read-again-thread.ts",
    // The thread that draws the progress line while a long statement blocks the main one.
    "src/cli/blocked-line-thread.ts",
    // The threads that screen a file of names.
    "src/cli/screening/screen-thread.ts",
    // The thread that moves commits from the write-ahead log to the database file.
    "src/store/engine/sqlite/checkpoint-thread.ts",
  ],
  { cwd: root, stdout: "inherit", stderr: "inherit" },
)
if (build.exitCode !== 0) process.exit(build.exitCode)
console.log(`built ${outfile} (${statSync(outfile).size} bytes)`)
writeNpmPackage(join(given.out, "npm"))
