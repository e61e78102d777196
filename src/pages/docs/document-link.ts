import { GUIDES, REFERENCE_PAGES } from "./documents.ts"

/** Directory of a page's Markdown file in the repository, by the page's path. README is at the top. */
function directoryOf(path: string): string {
  if (path === "/docs/readme") return "/"
  return path.startsWith("/docs/reference/") ? "/docs/reference/" : "/docs/"
}

const SERVED = new Set([...GUIDES, ...REFERENCE_PAGES].map(({ path }) => path))

/**
 * Returns the address for a link of a Markdown file: an absolute https address unchanged, another Markdown file as its page, and null for
 * a file of the repository that the server does not serve.
 */
export function documentLink(href: string, path: string): string | null {
  if (/^https:\/\//.test(href) || href.startsWith("#")) return href
  const { pathname, hash } = new URL(href, `file://${directoryOf(path)}`)
  if (pathname === "/README.md") return `/docs/readme${hash}`
  if (pathname === "/docs/reference/") return "/docs#reference"
  const page = pathname.replace(/\.md$/, "")
  return page !== pathname && SERVED.has(page) ? page + hash : null
}
