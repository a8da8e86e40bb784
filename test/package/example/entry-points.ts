/** Imports every published entry point: its types must be self-contained, and it must not need a test runner. */
import * as eventLoop from '@model-cache/event-loop'
import * as follow from '@model-cache/follow'
import * as advanced from 'model-cache/advanced'
import * as arktype from 'model-cache/arktype'
import * as codec from 'model-cache/codec'
import * as inspector from '@model-cache/inspector'
import * as prisma from 'model-cache/prisma'
import * as terminus from 'model-cache/terminus'
import * as testing from 'model-cache/testing'

for (const [name, entryPoint] of Object.entries({
  advanced,
  arktype,
  codec,
  eventLoop,
  follow,
  inspector,
  prisma,
  terminus,
  testing,
})) {
  if (Object.keys(entryPoint).length === 0) throw new Error(`the entry point ${name} exports nothing`)
}
