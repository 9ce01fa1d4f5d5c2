// What was deleted and can be restored: the server keeps it, and this device what it restores until the server has answered.

/** Where the server lists it, by type; `&cursor=` reads on. */
export const trashPaths = {
  task: "/tasks?deleted=true&sort=-updatedAt&limit=100", category: "/categories?deleted=true", dday: "/ddays?deleted=true&limit=100",
};

/**
 * What shows something again before the server has answered.
 * @param {any} item of such a list @returns {Change}
 */
export function remembered({ deletedAt, ...value }) {
  return { store: "meta", key: `deleted:${value.id}`, value };
}
