/**
 * Regenerates the JSON artifacts of the test contracts: `bun scripts/compile-contracts.ts PATH_TO_SOLC_PACKAGE`.
 * The compiler (npm package solc 0.8.37, GPL-3.0) is not a dependency: install it in a scratch directory, e.g.
 * `cd "$(mktemp -d)" && npm i solc@0.8.37`, and pass its `node_modules/solc`. The artifacts are committed.
 */
import { createRequire } from "node:module"
import { join, resolve } from "node:path"

interface Artifact {
  abi: unknown
  evm: { bytecode: { object: string }; deployedBytecode: { object: string } }
}
interface SolcOutput {
  errors?: { severity: string; formattedMessage: string }[]
  contracts?: Record<string, Record<string, Artifact>>
}

const CONTRACTS = ["UsdcLike", "Wallet1271", "GasBurner", "JobEscrow", "JobProxy", "RevertingHook"]
const folder = join(import.meta.dir, "../test/fixtures/contracts")

const compilerPath = process.argv[2]
if (!compilerPath) {
  console.error("usage: bun scripts/compile-contracts.ts PATH_TO_SOLC_PACKAGE")
  process.exit(2)
}
const solc = createRequire(import.meta.url)(resolve(compilerPath)) as { compile(input: string): string }

for (const name of CONTRACTS) {
  const content = await Bun.file(join(folder, `${name}.sol`)).text()
  const input = {
    language: "Solidity",
    sources: { [name]: { content } },
    settings: {
      optimizer: { enabled: true, runs: 200 },
      evmVersion: "paris",
      outputSelection: { "*": { "*": ["abi", "evm.bytecode.object", "evm.deployedBytecode.object"] } },
    },
  }
  const output = JSON.parse(solc.compile(JSON.stringify(input))) as SolcOutput
  const problems = (output.errors ?? []).filter((error) => error.severity === "error")
  const artifact = output.contracts?.[name]?.[name]
  if (problems.length > 0 || !artifact) {
    console.error(problems.map((problem) => problem.formattedMessage).join("\n") || `${name}: no output`)
    process.exit(1)
  }
  const { bytecode, deployedBytecode } = artifact.evm
  const json = { abi: artifact.abi, bytecode: `0x${bytecode.object}`, runtime: `0x${deployedBytecode.object}` }
  await Bun.write(join(folder, `${name}.json`), `${JSON.stringify(json)}\n`)
  console.log(`${name}: ${deployedBytecode.object.length / 2} bytes`)
}
