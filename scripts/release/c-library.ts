/** The C library of the container image: the files of Debian's package that the program loads. Needs `dpkg-deb`. */
import { mkdirSync, readFileSync } from "node:fs"
import { basename, join } from "node:path"
import { fetchPinned, type PinnedFile } from "./pinned-file.ts"
import { run } from "./run.ts"
import type { TreeFile } from "./tree.ts"

export const C_LIBRARY = {
  package: "libc6",
  source: "glibc",
  version: "2.36-9+deb12u14",
  /** Of the library; its copyright file has the licences of its parts. */
  license: "LGPL-2.1-or-later",
  /** Debian keeps the source of every version there. */
  sourceUrl: "https://snapshot.debian.org/package/glibc/2.36-9+deb12u14/",
} as const

interface Pinned {
  /** SHA-256 of the package, as the signed index of Debian 12 has it. */
  readonly sha256: string
  /** Folder of the libraries. */
  readonly folder: string
  /** Where the program expects the loader. */
  readonly loader: string
}

/** By the processor as Debian and the format of images name it. */
const PINNED: Readonly<Record<string, Pinned>> = {
  amd64: {
    sha256: "ba4f88f73dbc3ae9055f3c20f4523bfdbaf1ad13ff95e258924f77d20b4fbedf",
    folder: "lib/x86_64-linux-gnu",
    loader: "lib64/ld-linux-x86-64.so.2",
  },
  arm64: {
    sha256: "01f4330719fd4f65580e16ea5a0527f372fca750e8f588d26deaf09f2d3b1cf4",
    folder: "lib/aarch64-linux-gnu",
    loader: "lib/ld-linux-aarch64.so.1",
  },
}

/** What the program names as needed beside the loader; `readelf -d` lists them. They name no other. */
const LIBRARIES = ["libc.so.6", "libdl.so.2", "libm.so.6", "libpthread.so.0"]
const COPYRIGHT = "usr/share/doc/libc6/copyright"

export interface CLibrary {
  readonly files: readonly TreeFile[]
  /** The copyright file of the package. */
  readonly copyright: string
  /** For the provenance and the bill of materials. */
  readonly input: { readonly name: string; readonly sha256: string }
}

/** `folder`: where packages are kept. `scratch`: a folder that does not exist. Rejects as {@link fetchPinned}. */
export async function fetchCLibrary(processor: string, folder: string, scratch: string): Promise<CLibrary> {
  const pinned = PINNED[processor]
  if (pinned === undefined) throw new Error(`no C library is pinned for the processor ${processor}`)
  const file = pinnedFile(processor, pinned)
  await fetchPinned(file, folder)
  mkdirSync(scratch, { recursive: true })
  run(["dpkg-deb", "--extract", join(folder, file.name), scratch], scratch)
  const unpacked = (path: string) => readFileSync(join(scratch, path))
  const control = run(["dpkg-deb", "--info", join(folder, file.name), "control"], scratch)
  const copyright = unpacked(COPYRIGHT).toString()
  const files = [
    { path: pinned.loader, content: unpacked(`${pinned.folder}/${basename(pinned.loader)}`), mode: 0o755 },
    ...LIBRARIES.map((name) => ({ path: `${pinned.folder}/${name}`, content: unpacked(`${pinned.folder}/${name}`) })),
    { path: COPYRIGHT, content: copyright },
    // Where scanners of images look for packages of Debian in an image without a package manager.
    { path: `var/lib/dpkg/status.d/${C_LIBRARY.package}`, content: control },
  ]
  return { files, copyright, input: { name: file.name, sha256: pinned.sha256 } }
}

/** A pool of Debian keeps the newest version alone, and the archive of snapshots keeps all. */
function pinnedFile(processor: string, { sha256: digest }: Pinned): PinnedFile {
  const name = `${C_LIBRARY.package}_${C_LIBRARY.version}_${processor}.deb`
  const path = `pool/main/g/${C_LIBRARY.source}/${name}`
  const urls = [
    `http://deb.debian.org/debian/${path}`,
    `https://snapshot.debian.org/archive/debian/20261130T000000Z/${path}`,
  ] as const
  return { name, urls, algorithm: "sha256", digest }
}
