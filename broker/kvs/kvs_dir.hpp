// A directory of the KVS in memory. An entry is a tree object; one that stands for a directory is a
// dirref, with the directory itself once somebody has read it. Pure.
// Invariant: a changed directory is in a changed directory; the reference to it is out of date
// until KvsTree::settle() has made it anew.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "base/rfc/treeobj.hpp"

namespace sluice {

struct KvsDir;

struct KvsEntry {
    TreeObject object;            // never a dir: those are dirrefs
    std::unique_ptr<KvsDir> dir;  // of a dirref, when loaded
};

struct KvsDir {
    std::map<std::string, KvsEntry, std::less<>> entries;
    bool changed = false;
};

}  // namespace sluice
