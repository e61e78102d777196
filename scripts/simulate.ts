import { warmUp } from "../test/simulation/warm-up.ts"
import { runWorld } from "../test/simulation/run.ts"
await warmUp()
const [seed = "1", n = "20", p = "1", f = "none", nodes] = Bun.argv.slice(2)
for (let i = 0; i < 2; i++) {
const t = performance.now()
const r = runWorld({ seed, purchases: Number(n), processes: Number(p), faults: f as never, isTold: true, about: (process.env.ABOUT ?? '').split(',').filter(Boolean), nodes: nodes ? Number(nodes) as 1 : undefined })
console.log({ ...r, story: undefined, ms: (performance.now() - t) })
if (i === 1) console.log(r.story.slice(-150).join("\n"))
}
process.exit(0)
