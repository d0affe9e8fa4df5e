"""Systems over many treebanks: would the ranking survive other ones?"""
