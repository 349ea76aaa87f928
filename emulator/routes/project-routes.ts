import type { FastifyInstance } from "fastify";
import type { Platform } from "../model/platform";
import { present } from "./answer";

interface ProjectPath {
  Params: { project_id: string };
}

/** The calls about projects (public facts). */
export function projectRoutes(app: FastifyInstance, platform: Platform): void {
  app.get<ProjectPath>("/projects/:project_id", { config: { name: "projects.get" } }, (request) => {
    const project = platform.project(request.params.project_id);
    return { project: present(platform, project.record) };
  });
}
