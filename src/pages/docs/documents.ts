/** The pages of the documentation that the binary carries. A test compares the table with the folder. */

import agentId from "../../../docs/agent-id.md" with { type: "file" }
import benchmarks from "../../../docs/benchmarks.md" with { type: "file" }
import buy from "../../../docs/buy.md" with { type: "file" }
import container from "../../../docs/container.md" with { type: "file" }
import contribute from "../../../docs/contribute.md" with { type: "file" }
import decisions from "../../../docs/decisions.md" with { type: "file" }
import firstDay from "../../../docs/first-day.md" with { type: "file" }
import jobs from "../../../docs/jobs.md" with { type: "file" }
import mail from "../../../docs/mail.md" with { type: "file" }
import operate from "../../../docs/operate.md" with { type: "file" }
import proxy from "../../../docs/proxy.md" with { type: "file" }
import choicesReference from "../../../docs/reference/choices.md" with { type: "file" }
import commandsReference from "../../../docs/reference/commands.md" with { type: "file" }
import errorsReference from "../../../docs/reference/errors.md" with { type: "file" }
import layersReference from "../../../docs/reference/layers.md" with { type: "file" }
import limitsReference from "../../../docs/reference/limits.md" with { type: "file" }
import listWindowsReference from "../../../docs/reference/list-windows.md" with { type: "file" }
import metricsReference from "../../../docs/reference/metrics.md" with { type: "file" }
import productsReference from "../../../docs/reference/products.md" with { type: "file" }
import reasonsReference from "../../../docs/reference/reasons.md" with { type: "file" }
import routesReference from "../../../docs/reference/routes.md" with { type: "file" }
import settingsReference from "../../../docs/reference/settings.md" with { type: "file" }
import signedFormsReference from "../../../docs/reference/signed-forms.md" with { type: "file" }
import targetsReference from "../../../docs/reference/targets.md" with { type: "file" }
import rehearse from "../../../docs/rehearse.md" with { type: "file" }
import release from "../../../docs/release.md" with { type: "file" }
import review from "../../../docs/review.md" with { type: "file" }
import runbook from "../../../docs/runbook.md" with { type: "file" }
import scale from "../../../docs/scale.md" with { type: "file" }
import screening from "../../../docs/screening.md" with { type: "file" }
import sign from "../../../docs/sign.md" with { type: "file" }
import sizing from "../../../docs/sizing.md" with { type: "file" }
import sources from "../../../docs/sources.md" with { type: "file" }
import storage from "../../../docs/storage.md" with { type: "file" }
import upgrade from "../../../docs/upgrade.md" with { type: "file" }
import verify from "../../../docs/verify.md" with { type: "file" }
import readme from "../../../README.md" with { type: "file" }

export interface DocumentPage {
  /** Path on the server. */
  readonly path: string
  /** Path of the embedded Markdown file. */
  readonly file: string
  readonly title: string
  /** What the page is about, in one line. */
  readonly about: string
}

const guide = (name: string, file: string, title: string, about: string): DocumentPage => ({
  path: `/docs/${name}`,
  file,
  title,
  about,
})
const reference = (name: string, file: string, title: string, about: string): DocumentPage => ({
  path: `/docs/reference/${name}`,
  file,
  title,
  about,
})

export const GUIDES: readonly DocumentPage[] = [
  guide("readme", readme, "Read me first", "What it is, the two commands, a first answer"),
  guide("buy", buy, "Buy an answer", "Each answer with a complete request, tokens, what to do with a HOLD"),
  guide("jobs", jobs, "The on-chain job", "Buy a Payment Decision as an on-chain job"),
  guide("agent-id", agentId, "Agent ID", "Identities, signatures, the transparency log"),
  guide("sign", sign, "What you sign and why", "What each signature covers, for code of your own"),
  guide("verify", verify, "Verify without the server", "What is proved without the server, and how to check it"),
  guide("screening", screening, "Screening names", "How names are compared, and what a hit means"),
  guide("review", review, "Review held answers", "The desk: how persons clear a HOLD, with passkeys and four eyes"),
  guide(
    "rehearse",
    rehearse,
    "Rehearse on your own lists",
    "Decide synthetic requests on your own lists, without payment",
  ),
  guide(
    "first-day",
    firstDay,
    "From a fresh VM to the first alert",
    "One file, one directory, one unit, in eight steps",
  ),
  guide("release", release, "Releases", "Check a download, make a release, make it again"),
  guide("upgrade", upgrade, "Upgrade to another release, and back", "Ask the new file, back up, migrate, go back"),
  guide("container", container, "The container image", "Load it, run it on one machine, its health check"),
  guide("operate", operate, "Operate a server", "Set-up, proxy, upgrade, backup, lists, keys, alerts"),
  guide("proxy", proxy, "Behind a reverse proxy", "nginx, Caddy, a Unix socket, the access log"),
  guide("runbook", runbook, "Runbook", "Each reason of readiness: what it means, what to do"),
  guide(
    "sources",
    sources,
    "Lists: how old they may be, and what you may accept",
    "Lists and registers, and how old they may be",
  ),
  guide(
    "storage",
    storage,
    "What is stored, and what happens if it is lost or forged",
    "What is stored, and what losing or forging it means",
  ),
  guide("scale", scale, "Scale: a PostgreSQL server instead of a file", "When PostgreSQL fits, and what it costs"),
  guide("sizing", sizing, "Sizing: memory, disk and cores for a load", "Memory, disk and cores for a load, measured"),
  guide("mail", mail, "Contact by e-mail", "Contact by e-mail"),
  guide("contribute", contribute, "Contribute", "First green test, words, changes step by step"),
  guide("benchmarks", benchmarks, "Benchmarks", "How speed is measured"),
  guide("decisions", decisions, "Decisions", "Decisions and their reasons"),
]

/** Printed from the code. */
export const REFERENCE_PAGES: readonly DocumentPage[] = [
  reference("commands", commandsReference, "Commands", "Every command, its flags and exit codes"),
  reference("settings", settingsReference, "Settings", "Every setting"),
  reference("routes", routesReference, "HTTP routes", "Every HTTP route"),
  reference("products", productsReference, "Products", "Each product: members, reasons, examples"),
  reference("reasons", reasonsReference, "Reasons", "Every policy in force"),
  reference("signed-forms", signedFormsReference, "Signed forms", "Every signed form and digest, with vectors"),
  reference("errors", errorsReference, "Error codes", "Every error code"),
  reference("metrics", metricsReference, "Metrics", "Every metric of the admin listener"),
  reference("limits", limitsReference, "Limits", "Every limit"),
  reference("choices", choicesReference, "Choices", "Decisions that the interface left open"),
  reference("list-windows", listWindowsReference, "Windows of the lists", "How old each list may be"),
  reference("layers", layersReference, "Layers", "Which folder may import which"),
  reference("targets", targetsReference, "Speed targets", "Speed targets"),
]
