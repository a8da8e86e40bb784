const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }

export function escapeHtml(text: string): string {
  return text.replace(/[&<>"]/g, (character) => ENTITIES[character]!)
}

/** A sentence; addresses in it become links. */
export function paragraph(text: string): string {
  const parts = text.split(/(https?:\/\/[^\s<>"]*[^\s<>".,;:)])/)
  return `<p>${parts.map((part, i) => (i % 2 ? link(part) : escapeHtml(part))).join('')}</p>`
}

const link = (url: string): string => `<a href="${escapeHtml(url)}">${escapeHtml(url)}</a>`
