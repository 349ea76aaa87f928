/** What the ids of projects, branches and endpoints are made of: nothing that could lead to another path. */
export const ID = /^[a-z0-9-]{1,60}$/;
