/** The container image: its bytes, and what the tools of others find in it. Its program and its libraries are small ones. */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test"
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { C_LIBRARY } from "../../../scripts/release/c-library.ts"
import { IMAGE_USER, imageOf } from "../../../scripts/release/image.ts"
import { composeText } from "../../../scripts/release/make-image.ts"
import type { TreeFile } from "../../../scripts/release/tree.ts"
import { freshDirectory } from "../../fixtures/directories.ts"
import { NO_CONTAINERS, unpackImage } from "../../fixtures/image-container.ts"
import { sourceText } from "../../fixtures/imports.ts"

setDefaultTimeout(60_000)

const fresh = freshDirectory()
afterAll(() => fresh[Symbol.dispose]())
const at = (...names: string[]) => join(fresh.path, ...names)
const archive = at("image.oci.tar")

/** Of the C library: its versions end with the release of Debian. */
const DEBIAN = /\+deb(\d+)u/.exec(C_LIBRARY.version)?.[1]
const libraries: readonly TreeFile[] = [{ path: "lib/libc.so.6", content: "the C library" }]
const platforms = ["amd64", "arm64"].map((processor) => ({
  processor,
  program: Buffer.from(`the program for ${processor}`),
  libraries,
  notices: "notices",
}))
const ORDER = {
  version: "1.2.3",
  commit: "c".repeat(40),
  seconds: 1_790_000_000,
  licenses: "Apache-2.0 AND MIT",
  license: "licence",
  platforms,
}
const { digest } = imageOf(ORDER)

interface Entry {
  readonly digest: string
  readonly platform: { readonly architecture: string }
}
interface Manifest {
  readonly config: Entry
  readonly layers: readonly Entry[]
}
/** The JSON of a blob. */
async function blob<Content>(bytes: Uint8Array, named: string): Promise<Content> {
  const found = (await new Bun.Archive(bytes).files()).get(`blobs/${named.replace(":", "/")}`)
  if (found === undefined) throw new Error(`no blob ${named}`)
  return JSON.parse(await found.text())
}
async function manifestsOf(order = ORDER): Promise<Manifest[]> {
  const made = imageOf(order)
  const { manifests } = await blob<{ manifests: Entry[] }>(made.archive, made.digest)
  return Promise.all(manifests.map((entry) => blob<Manifest>(made.archive, entry.digest)))
}
function printed(...words: readonly string[]): string {
  const ran = Bun.spawnSync([...words], { stdout: "pipe", stderr: "pipe" })
  if (ran.exitCode !== 0) throw new Error(`${words.join(" ")}: ${ran.stderr.toString()}`)
  return ran.stdout.toString()
}

test("the image has the same bytes when it is made again, and its base stays the same over releases", async () => {
  expect(imageOf(ORDER)).toEqual(imageOf(ORDER))
  const [now, later] = [await manifestsOf(), await manifestsOf({ ...ORDER, version: "1.3.0", seconds: 1_800_000_000 })]
  const layers = (manifests: readonly Manifest[]) => manifests.map((one) => one.layers.map((layer) => layer.digest))
  const [before, after] = [layers(now), layers(later)]
  expect(after.map(([base]) => base)).toEqual(before.map(([base]) => base))
  expect(after.map(([, program]) => program)).not.toEqual(before.map(([, program]) => program))
})

test("its configuration names one user, the volume, the port and the health check by the program itself", async () => {
  const [manifest] = await manifestsOf()
  const { config } = await blob<{ config: object }>(imageOf(ORDER).archive, manifest?.config.digest ?? "")
  expect(config).toMatchObject({
    User: "10001:10001",
    Entrypoint: ["/usr/bin/bizauth"],
    Cmd: ["serve"],
    Volumes: { "/var/lib/bizauth": {} },
    ExposedPorts: { "8402/tcp": {} },
    Env: expect.arrayContaining(["BIZAUTH_DATA=/var/lib/bizauth/data", "BIZAUTH_LISTEN=0.0.0.0:8402"]),
    Healthcheck: { Test: ["CMD", "/usr/bin/bizauth", "check", "--running"] },
    Labels: {
      "org.opencontainers.image.version": "1.2.3",
      "org.opencontainers.image.revision": ORDER.commit,
      "org.opencontainers.image.created": "2026-09-21T14:13:20Z",
      "org.opencontainers.image.licenses": "Apache-2.0 AND MIT",
    },
  })
})

test("the compose file gives the container no more than it needs, and the page shows it as it is", () => {
  const text = sourceText("docs/examples/one-machine/compose.yaml")
  const released = composeText(text, "1.2.3")
  const { services } = Bun.YAML.parse(released) as { services: Readonly<Record<string, object>> }
  expect(Object.keys(services)).toEqual(["bizauth"])
  expect(services["bizauth"]).toMatchObject({
    image: "localhost/bizauth:1.2.3",
    pull_policy: "never",
    read_only: true,
    cap_drop: ["ALL"],
    security_opt: ["no-new-privileges:true"],
    volumes: ["data:/var/lib/bizauth"],
    ports: ["127.0.0.1:8402:8402"],
    healthcheck: { test: ["CMD", "/usr/bin/bizauth", "check", "--running"] },
  })
  expect(() => composeText(released, "1.2.4")).toThrow("must name localhost/bizauth:1.0.0 once")
  expect(sourceText("docs/container.md")).toContain(`\`\`\`yaml\n${text}\`\`\``)
})

describe.skipIf(NO_CONTAINERS !== "")(`for the tools of others${NO_CONTAINERS}`, () => {
  beforeAll(() => writeFileSync(archive, imageOf(ORDER).archive))

  test("skopeo finds the index under its digest, an image for each processor, and the health check for Docker", () => {
    const raw = printed("skopeo", "inspect", "--raw", `oci-archive:${archive}`)
    expect(`sha256:${new Bun.CryptoHasher("sha256").update(raw).digest("hex")}`).toBe(digest)
    for (const { processor } of platforms) {
      const which = ["--override-os", "linux", "--override-arch", processor]
      const found = JSON.parse(printed("skopeo", ...which, "inspect", `oci-archive:${archive}`))
      expect([found.Architecture, found.Layers.length]).toEqual([processor, 2])
      const saved = at(`${processor}.docker.tar`)
      printed("skopeo", ...which, "copy", `oci-archive:${archive}`, `docker-archive:${saved}:localhost/bizauth:1.2.3`)
      const ofDocker = JSON.parse(printed("skopeo", "inspect", "--config", "--raw", `docker-archive:${saved}`))
      expect(ofDocker.config.Healthcheck.Test).toContain("--running")
    }
  })

  test("umoci unpacks the program, the libraries and the files of the user, and no shell; only the home belongs to the user", () => {
    unpackImage(archive, "arm64", at("bundle"))
    const root = at("bundle", "rootfs")
    const listed = printed("find", root, "-mindepth", "1", "-printf", "%m %U %y %P\n").trimEnd().split("\n").sort()
    const folders = [
      "dev",
      "etc",
      "lib",
      "proc",
      "sys",
      "usr",
      "usr/bin",
      "usr/share",
      "usr/share/doc",
      "var",
      "var/lib",
    ]
    expect(listed).toEqual(
      [
        ...[...folders, "usr/share/doc/bizauth"].map((path) => `755 0 d ${path}`),
        ...["group", "nsswitch.conf", "os-release", "passwd"].map((name) => `644 0 f etc/${name}`),
        ...["lib/libc.so.6", "usr/share/doc/bizauth/LICENSE", "usr/share/doc/bizauth/NOTICES.txt"].map(
          (path) => `644 0 f ${path}`,
        ),
        "755 0 f usr/bin/bizauth",
        `700 ${IMAGE_USER} d var/lib/bizauth`,
      ].sort(),
    )
    expect(readFileSync(join(root, "usr/bin/bizauth"), "utf8")).toBe("the program for arm64")
    expect(readFileSync(join(root, "etc/os-release"), "utf8")).toContain(`VERSION_ID="${DEBIAN}"`)
  })
})
