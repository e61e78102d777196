/** A Markdown file that is embedded in the binary: the module's value is its path. */
// biome-ignore lint/style/noDefaultExport: an import with an attribute gives the default export.
declare module "*.md" {
  const path: string
  export default path
}
