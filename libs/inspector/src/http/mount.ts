import { Controller, Get, type Type, UseGuards, VERSION_NEUTRAL } from '@nestjs/common'
import type { InspectorMount } from '../inspector.options.js'
import { InspectorApi } from './api.controller.js'
import { InspectorPage } from './page.controller.js'
import type { HttpRequest } from './verify-origin.js'

type Mount = Required<InspectorMount>

/** Returns the controller of the API of one inspector, at its path and behind its guards. An application may have several. */
export function mountedApi(mount: Mount): Type<InspectorApi> {
  class MountedApi extends InspectorApi {}
  return mounted(MountedApi, InspectorApi.name, { ...mount, path: `${mount.path}/api/v1` })
}

/** Returns the controller of the page of one inspector. Its route for further paths still has to be set. */
export function mountedPage(mount: Mount): Type<InspectorPage> {
  class MountedPage extends InspectorPage {
    // A function of its own, since routes are metadata of functions.
    override file(request: HttpRequest, response: unknown): void {
      super.file(request, response)
    }
  }
  return mounted(MountedPage, InspectorPage.name, mount)
}

/** Sets the route for all paths below the page: Express and Fastify have no notation of a wildcard in common. */
export function routeFurtherPaths({ prototype }: Type<InspectorPage>, platform: string): void {
  const wildcard = platform === 'fastify' ? '*' : '{*rest}'
  Get(wildcard)(prototype, 'file', Object.getOwnPropertyDescriptor(prototype, 'file')!)
}

/** @param name of the class in logs and metrics */
function mounted<T>(controller: Type<T>, name: string, { path, guards }: Mount): Type<T> {
  Object.defineProperty(controller, 'name', { value: name })
  UseGuards(...guards)(controller)
  Controller({ path, version: VERSION_NEUTRAL })(controller)
  return controller
}
