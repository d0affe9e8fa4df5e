// The views, in the order of the rail.

import { view as overview } from "../views/overview.js";
import { view as systems } from "../views/systems.js";
import { view as compare } from "../views/compare.js";
import { view as errors } from "../views/errors.js";
import { view as ranking } from "../views/ranking.js";
import { view as treebanks } from "../views/treebanks.js";
import { view as changes } from "../views/changes.js";
import { view as maps } from "../views/maps.js";
import { view as candidates } from "../views/candidates.js";
import { view as search } from "../views/search.js";
import { view as learning } from "../views/learning.js";
import { view as transfer } from "../views/transfer.js";
import { view as methods } from "../views/methods.js";

export const VIEWS = [
  overview,
  systems,
  compare,
  errors,
  ranking,
  treebanks,
  changes,
  maps,
  candidates,
  search,
  learning,
  transfer,
  methods,
];
