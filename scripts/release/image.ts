/**
 * The container image as an archive of an OCI layout (image-spec 1.1): one index with an image for each processor. No daemon makes it. Each image has two
 * layers: the C library with the user, which stays the same over releases, and the program. There is no shell and no other program.
 */
import { writeTar } from "../../src/core/tar/tar.ts"
import { type Blob, blobOf, descriptorOf, type Layer, layerOf } from "./image-layer.ts"
import type { TreeFile } from "./tree.ts"

/** Number of the user and of its group. CHOICE: far from the numbers that systems give to people and to services. */
export const IMAGE_USER = 10_001
const HOME = "/var/lib/bizauth"
const PORT = 8402
const SECOND = 1_000_000_000

/** The name under which Docker and Podman keep it. Nobody can publish under this host. */
export const imageName = (version: string) => `localhost/bizauth:${version}`
export const imageFile = (version: string) => `bizauth-${version}.oci.tar`

export interface ImagePlatform {
  /** As Debian and the format of images name it. */
  readonly processor: string
  readonly program: Uint8Array
  /** The C library. */
  readonly libraries: readonly TreeFile[]
  readonly notices: string
}

interface ImageOrder {
  readonly version: string
  readonly commit: string
  /** Time of the commit, in seconds since 1970. */
  readonly seconds: number
  /** SPDX expression over everything that the image has. */
  readonly licenses: string
  /** Text of the licence. */
  readonly license: string
  readonly platforms: readonly ImagePlatform[]
}

interface Image {
  readonly archive: Uint8Array
  /** Of the index, as a registry names the image: `sha256:` and 64 hexadecimal digits. */
  readonly digest: string
}

export function imageOf(order: ImageOrder): Image {
  const labels = labelsOf(order)
  const built = order.platforms.map((platform) => platformOf(order, platform, labels))
  const index = blobOf("application/vnd.oci.image.index.v1+json", {
    schemaVersion: 2,
    mediaType: "application/vnd.oci.image.index.v1+json",
    manifests: built.map(({ manifest, processor }) => ({
      ...descriptorOf(manifest),
      platform: { architecture: processor, os: "linux" },
    })),
    annotations: labels,
  })
  // The one entry names the index, because a tool that finds two images here asks which one is meant.
  const named = {
    ...descriptorOf(index),
    annotations: {
      "io.containerd.image.name": imageName(order.version),
      "org.opencontainers.image.ref.name": order.version,
    },
  }
  const entry = {
    schemaVersion: 2,
    mediaType: "application/vnd.oci.image.index.v1+json",
    manifests: [named],
  }
  const blobs = [index, ...built.flatMap((one) => one.blobs)]
  return { archive: layoutOf(entry, blobs, order.seconds), digest: index.digest }
}

function layoutOf(entry: object, blobs: readonly Blob[], modifiedAt: number): Uint8Array {
  const files = new Map<string, Uint8Array>([
    ["oci-layout", Buffer.from(JSON.stringify({ imageLayoutVersion: "1.0.0" }))],
    ["index.json", Buffer.from(JSON.stringify(entry))],
    ...blobs
      .toSorted((one, other) => (one.digest < other.digest ? -1 : 1))
      .map(({ digest, bytes }) => [`blobs/${digest.replace(":", "/")}`, bytes] as const),
  ])
  const sources = [...files].map(([name, bytes]) => ({ name, size: bytes.length, modifiedAt, pieces: [bytes] }))
  return Buffer.concat([...writeTar(sources)])
}

type Labels = Readonly<Record<string, string>>

function labelsOf({ version, commit, seconds, licenses }: ImageOrder): Labels {
  const named = {
    title: "bizauth",
    description: "signed decisions about payments that agents make",
    version,
    revision: commit,
    created: timeOf(seconds),
    licenses,
  }
  return Object.fromEntries(Object.entries(named).map(([name, text]) => [`org.opencontainers.image.${name}`, text]))
}

interface BuiltPlatform {
  readonly processor: string
  readonly manifest: Blob
  readonly blobs: readonly Blob[]
}

function platformOf(order: ImageOrder, platform: ImagePlatform, labels: Labels): BuiltPlatform {
  const { processor } = platform
  // The base is the same file in every release with the same C library, so it has no time of a commit.
  const layers = [layerOf(baseFiles(platform), 0), layerOf(programFiles(order, platform), order.seconds)]
  const config = blobOf("application/vnd.oci.image.config.v1+json", configOf(order, processor, layers, labels))
  const manifest = blobOf("application/vnd.oci.image.manifest.v1+json", {
    schemaVersion: 2,
    mediaType: "application/vnd.oci.image.manifest.v1+json",
    config: descriptorOf(config),
    layers: layers.map(({ blob }) => descriptorOf(blob)),
    annotations: labels,
  })
  return { processor, manifest, blobs: [manifest, config, ...layers.map(({ blob }) => blob)] }
}

function baseFiles({ libraries }: ImagePlatform): TreeFile[] {
  const folders = ["dev", "proc", "sys"].map((path) => ({ path, content: null }))
  return [
    ...folders,
    { path: "etc/passwd", content: `bizauth:x:${IMAGE_USER}:${IMAGE_USER}:bizauth:${HOME}:/usr/sbin/nologin\n` },
    { path: "etc/group", content: `bizauth:x:${IMAGE_USER}:\n` },
    { path: "etc/nsswitch.conf", content: "hosts: files dns\n" },
    { path: "etc/os-release", content: OS_RELEASE },
    { path: HOME.slice(1), content: null, mode: 0o700, owner: IMAGE_USER },
    ...libraries,
  ]
}

/** For scanners of images: the C library is that of Debian 12. */
const OS_RELEASE = `PRETTY_NAME="bizauth with the C library of Debian 12"
NAME="Debian GNU/Linux"
ID=debian
VERSION_ID="12"
VERSION_CODENAME=bookworm
`

function programFiles({ license }: ImageOrder, { program, notices }: ImagePlatform): TreeFile[] {
  return [
    { path: "usr/bin/bizauth", content: program, mode: 0o755 },
    { path: "usr/share/doc/bizauth/LICENSE", content: license },
    { path: "usr/share/doc/bizauth/NOTICES.txt", content: notices },
  ]
}

function configOf({ seconds }: ImageOrder, processor: string, layers: readonly Layer[], labels: Labels) {
  const created = timeOf(seconds)
  return {
    created,
    architecture: processor,
    os: "linux",
    config: {
      User: `${IMAGE_USER}:${IMAGE_USER}`,
      ExposedPorts: { [`${PORT}/tcp`]: {} },
      Env: [
        "PATH=/usr/bin",
        `BIZAUTH_DATA=${HOME}/data`,
        `BIZAUTH_LISTEN=0.0.0.0:${PORT}`,
        // Commands that unpack something do it in the volume, because nothing else need be writable.
        `TMPDIR=${HOME}`,
      ],
      Entrypoint: ["/usr/bin/bizauth"],
      Cmd: ["serve"],
      Volumes: { [HOME]: {} },
      WorkingDir: HOME,
      Labels: labels,
      StopSignal: "SIGTERM",
      // The format leaves this member to Docker, which reads it; others take the health check of their own configuration.
      Healthcheck: {
        Test: ["CMD", "/usr/bin/bizauth", "check", "--running"],
        Interval: 30 * SECOND,
        Timeout: 10 * SECOND,
        StartPeriod: 60 * SECOND,
        Retries: 3,
      },
    },
    rootfs: { type: "layers", diff_ids: layers.map(({ diffId }) => diffId) },
    history: ["the C library and the user", "the program"].map((comment) => ({ created, comment })),
  }
}

function timeOf(seconds: number): string {
  return new Date(seconds * 1000).toISOString().replace(".000Z", "Z")
}
