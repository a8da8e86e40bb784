import { join } from 'node:path'
import fastifyStatic from '@fastify/static'
import { Module } from '@nestjs/common'
import { HttpAdapterHost } from '@nestjs/core'
import type { FastifyAdapter } from '@nestjs/platform-fastify'
import { inspectorPageFiles } from '@model-cache/inspector'
import { projectRoot } from '#prisma/project-root.js'

const PUBLIC = join(projectRoot(), 'apps/auction/public')

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

const HEADERS = {
  'content-security-policy': CONTENT_SECURITY_POLICY,
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
}

/** Serves the page at `/`, and at `/inspector-page/` what it shares with the page of the inspector, and the charting library. */
@Module({})
export class PageModule {
  constructor({ httpAdapter }: HttpAdapterHost<FastifyAdapter>) {
    const server = httpAdapter.getInstance()
    // One route per existing file, so that no request path reaches the disk.
    void server.register(fastifyStatic, {
      root: PUBLIC,
      prefix: '/',
      wildcard: false,
      decorateReply: false,
      setHeaders: (reply) => void reply.headers(HEADERS),
    })
    for (const [name, { text, type }] of inspectorPageFiles) {
      server.get(`/inspector-page/${name}`, (_request, reply) => reply.headers(HEADERS).type(type).send(text))
    }
  }
}
