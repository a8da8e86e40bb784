import type { Page } from 'playwright-core'

/** Collects console errors and warnings of a page, failed requests, and requests to other origins than that of `url`. */
export function collectProblems(page: Page, url: string): readonly string[] {
  const problems: string[] = []
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) problems.push(`console: ${message.text()}`)
  })
  page.on('pageerror', (error) => problems.push(`error: ${error.message}`))
  page.on('request', (request) => {
    if (!request.url().startsWith(`${url}/`)) problems.push(`request to ${request.url()}`)
  })
  page.on('response', (response) => {
    if (response.status() >= 400) problems.push(`${response.status()} from ${response.url()}`)
  })
  return problems
}
