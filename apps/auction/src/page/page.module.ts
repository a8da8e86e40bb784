import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import fastifyStatic from '@fastify/static'
import { Module } from '@nestjs/common'
import { HttpAdapterHost } from '@nestjs/core'
import type { FastifyAdapter } from '@nestjs/platform-fastify'
import type { FastifyReply } from 'fastify'
import { inspectorPageFolder } from 'model-cache/inspector'
import { projectRoot } from '#prisma/project-root.js'

const PUBLIC = join(projectRoot(), 'apps/auction/public')
const UPLOT = dirname(createRequire(import.meta.url).resolve('uplot/dist/uPlot.esm.js'))
const UPLOT_FILES = ['/uPlot.esm.js', '/uPlot.min.css']

/** Allows this origin only, and nothing inline. */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

/** Serves the page at `/`, and at `/inspector-page/` what it shares with the page of the inspector, and the charting library. */
@Module({})
export class PageModule {
  constructor({ httpAdapter }: HttpAdapterHost<FastifyAdapter>) {
    const server = httpAdapter.getInstance()
    // One route per existing file, so that no request path reaches the disk.
    const common = { wildcard: false, decorateReply: false, setHeaders }
    void server.register(fastifyStatic, { ...common, root: PUBLIC, prefix: '/' })
    void server.register(fastifyStatic, {
      ...common,
      root: inspectorPageFolder,
      prefix: '/inspector-page/',
      globIgnore: ['*.html', '*.js', 'views/**'],
    })
    void server.register(fastifyStatic, {
      ...common,
      root: UPLOT,
      prefix: '/inspector-page/',
      allowedPath: (path) => UPLOT_FILES.includes(path),
    })
  }
}

function setHeaders(reply: FastifyReply): void {
  void reply.headers({
    'content-security-policy': CONTENT_SECURITY_POLICY,
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
  })
}
