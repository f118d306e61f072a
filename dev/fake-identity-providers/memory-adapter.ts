import { LRUCache } from "lru-cache";
import type { AdapterFactory, AdapterPayload } from "oidc-provider";

/** With each record's TTL, at most a thousand records. */
export function createMemoryAdapter(): AdapterFactory {
  const rows = new LRUCache<string, AdapterPayload>({ max: 1000 });
  const find = (condition: (row: AdapterPayload) => boolean) => [...rows.values()].find(condition);
  return (model) => ({
    async upsert(id, payload, expiresIn = 0) {
      rows.set(`${model}:${id}`, payload, { ttl: expiresIn * 1000 });
    },
    async find(id) {
      return rows.get(`${model}:${id}`);
    },
    async findByUid(uid) {
      return find((row) => row.kind === model && row.uid === uid);
    },
    async findByUserCode(userCode) {
      return find((row) => row.kind === model && row.userCode === userCode);
    },
    async consume(id) {
      const row = rows.get(`${model}:${id}`);
      if (row) row.consumed = Math.floor(Date.now() / 1000);
    },
    async destroy(id) {
      rows.delete(`${model}:${id}`);
    },
    async revokeByGrantId(grantId) {
      for (const [key, row] of rows.entries()) if (row.grantId === grantId) rows.delete(key);
    },
  });
}
